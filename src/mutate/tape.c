#include "mutate/tape.h"

#include "base/alloc.h"
#include "mutate/units.h"

static void copy(struct tape *tape, const void *bytes, size_t size) {
    if (size && !tape->refused) tape->refused = !buf_add(&tape->out, bytes, size);
}

static void copy_to(struct tape *tape, size_t place) {
    copy(tape, tape->text + tape->at, place - tape->at);
    tape->at = place;
}

static void note(struct tape *tape, stemma_operation operation) {
    if (tape->refused) return;
    if (tape->take)
        tape->refused = (tape->status = tape->take(tape->context, &operation, tape->err)) != STEMMA_OK;
    else if (!mem_grow((void **)&tape->operations, &tape->capacity, tape->count + 1, sizeof operation))
        tape->refused = true;
    else
        tape->operations[tape->count++] = operation;
}

void tape_replace(struct tape *tape, size_t begin, size_t end, const void *bytes, size_t size) {
    if (begin == end && size == 0) return;
    copy_to(tape, begin);
    size_t b_begin = tape->out.len;
    copy(tape, bytes, size);
    tape->at = end;
    stemma_operation_kind kind = begin == end ? STEMMA_OPERATION_INSERT
                                 : size == 0  ? STEMMA_OPERATION_DELETE
                                              : STEMMA_OPERATION_REPLACE;
    note(tape, (stemma_operation){kind, begin, end, b_begin, b_begin + size});
    size_t old = character_count(tape->text + begin, end - begin), new = character_count(bytes, size);
    tape->edits += old > new ? old : new;
}

void tape_move(struct tape *tape, size_t begin, size_t end, size_t from, size_t to) {
    copy_to(tape, begin);
    size_t b_begin = tape->out.len;
    copy(tape, tape->text + from, to - from);
    tape->at = end;
    note(tape, (stemma_operation){STEMMA_OPERATION_MOVE, from, to, b_begin, tape->out.len});
    tape->moved += character_count(tape->text + from, to - from);
}

stemma_status tape_finish(struct tape *tape, stemma_error *err) {
    copy_to(tape, tape->size);
    if (tape->status) return tape->status;
    return tape->refused ? fail_memory(err) : STEMMA_OK;
}

void tape_release(struct tape *tape) {
    buf_release(&tape->out);
    mem_free(tape->operations);
}
