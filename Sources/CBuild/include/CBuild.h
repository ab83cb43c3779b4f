#ifdef __cplusplus
extern "C"
#endif
/// The commit that the program was built from, as 40 hexadecimal digits; empty if there was none to be had.
const char *fanfare_build_commit(void);
