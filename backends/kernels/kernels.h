/* The library's own kernels as OpenCL C text (the .cl files beside this one), ending in NUL. */
#ifndef HRI_KERNELS_H
#define HRI_KERNELS_H

extern const char hri_kernels_text[];

#endif
