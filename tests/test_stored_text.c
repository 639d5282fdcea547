/* A text as a collection keeps it comes back as it was, or is corrupt. */
#include "index/stored_text.h"
#include "pile_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_stored_text(void **state) {
    static char text[60000];
    struct buf packed = {0}, back = {0};
    (void)state;
    for (size_t words = 0; words < 2000; words += 371) {
        random_words(text, words, 20000);
        const size_t size = strlen(text);
        packed.len = 0;
        assert_int_equal(stored_text_pack((const uint8_t *)text, size, &packed, NULL), STEMMA_OK);
        assert_int_equal(stored_text_unpack(packed.data, packed.len, size, &back, NULL), STEMMA_OK);
        assert_int_equal(back.len, size);
        assert_memory_equal(back.data, text, size);
        assert_int_equal(stored_text_unpack(packed.data, packed.len, size + 1, &back, NULL), STEMMA_CORRUPT);
        assert_int_equal(stored_text_unpack(packed.data, packed.len - 1, size, &back, NULL), STEMMA_CORRUPT);
        assert_int_equal(stored_text_unpack(packed.data, 0, size, &back, NULL), STEMMA_CORRUPT);
    }
    buf_release(&packed);
    buf_release(&back);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stored_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
