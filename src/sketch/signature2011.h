/* Bits by the sum of a window, as Coates 2011 has them: kept for comparison with that paper. The sum takes
 * few values, so how much is kept depends heavily on c, k and the text. */
#ifndef SKETCH_SIGNATURE2011_H
#define SKETCH_SIGNATURE2011_H

#include "base/buf.h"
#include "sketch/recipe.h"

struct bit_sampler;

stemma_status bit_sampler_new(const struct spec *spec, uint64_t seed, struct bit_sampler **out,
                              stemma_error *err);
/* Append the bits of that many windows of bytes, of which the first begins at bytes[0]; false when memory is
 * refused. */
bool bit_sampler_take(const struct bit_sampler *sampler, const uint32_t *bytes, size_t windows,
                      struct vec16 *out);
void bit_sampler_free(struct bit_sampler *sampler);

#endif
