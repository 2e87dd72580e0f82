/* Whether this process is a child of the one that opened a thing: a look at memory, since every submission asks. */
#ifndef HRI_FORKS_H
#define HRI_FORKS_H

/* Counts from now on. What is opened keeps the number. */
unsigned hri_forks_watch(void);

/* The number here: it is another one in a child. */
unsigned hri_forks(void);

#endif
