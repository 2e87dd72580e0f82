/* The roster: one line a backend, in the order of `headrace info`. The selector's default order is in core/selector. */
#ifndef HEADRACE_BACKEND_LIST_H
#define HEADRACE_BACKEND_LIST_H

#define HRB_BACKEND_LIST(X)

#define HRB_LAYER_LIST(X)

#endif
