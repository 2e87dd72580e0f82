/* A library by NVRTC's names that has none of its functions. */
int no_nvrtc(void);

int no_nvrtc(void)
{
    return 0;
}
