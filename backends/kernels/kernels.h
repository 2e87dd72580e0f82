/* The library's own kernels, ending in NUL: the .cl files beside this one as OpenCL C, and the same in PTX. */
#ifndef HRI_KERNELS_H
#define HRI_KERNELS_H

extern const char hri_kernels_text[];
extern const char hri_kernels_ptx[];

#endif
