// octal.h: where the bits of a 3-bit code lie in the interleaved plane.
//
// Thirty-two dimensions of sixteen rows are three lines of 64 bytes, in which byte 4 * row + d % 4 belongs to dimension d of
// a row. They are eight groups of four dimensions. Group g's two lower bits are bits 2 * (g % 4) and above of the line
// g / 4; its upper bit is bit FK_UPPER_BITS[g] of the third line. So E = (line & 0x33) | (third & 0xcc) holds the codes of
// two groups in its nibbles when the lines are shifted so:
//
//   groups 0, 2: first line,      third line;        groups 1, 3: first line >> 2,  third line >> 1;
//   groups 4, 6: second line,     third line << 2;   groups 5, 7: second line >> 2, third line << 1.
#ifndef FK_OCTAL_H
#define FK_OCTAL_H

#include <stdint.h>

enum { FK_OCTAL_DIMENSIONS = 32, FK_OCTAL_GROUPS = 8, FK_OCTAL_BYTES = 192, FK_LOWER_BITS = 0x33, FK_CODE_BITS = 7 };

static const uint8_t FK_UPPER_BITS[FK_OCTAL_GROUPS] = {2, 3, 6, 7, 0, 1, 4, 5};

#endif
