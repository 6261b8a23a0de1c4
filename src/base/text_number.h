// Numbers as files write them: digits with a decimal point in any locale, no hexadecimals, no "inf" and "nan".
#ifndef CAPSTAN_BASE_TEXT_NUMBER_H
#define CAPSTAN_BASE_TEXT_NUMBER_H

// Reads a number at the beginning of `text`.
// @return the first character after it, or NULL if there is no number; one too large becomes infinite
const char* cps_number_read(const char* text, double* value);

#endif
