/*
 * stemma.h - which of these documents are really the same?
 *
 * A document becomes canonical text, tokens, shingles (windows of w tokens) and 64-bit fingerprints;
 * a *sketch* keeps a small sample of them. Two documents give exact numbers, two sketches give
 * estimates with intervals. How a sketch was made is its *recipe*: only equal recipes compare.
 *
 * This header has all of the library. Its parts go from simple to advanced; each says what its functions do,
 * and can be included alone:
 *
 *   stemma/core.h        versions, statuses, errors; recipes
 *                        comparing two documents                    stemma_compare_files, stemma_document_*
 *                        sketches: make, compare, keep              stemma_sketch_file,
 * stemma_compare_sketches streaming: a document in pieces            stemma_sketcher_* bundles: many sketches
 * in one file         stemma_writer_*, stemma_reader_* stemma/text.h        the canonical text and its source
 * offsets  stemma_text_* the edit distance of two texts             stemma_distance, stemma_script_* where
 * two texts agree and differ           stemma_align_texts the edit distance of documents stemma_edit_texts,
 * stemma_sketch_regions stemma/find.h        fragments: a target in large files         stemma_finder_*,
 * stemma_find_file one signature against many                 stemma_signatures_* stemma/scan.h        all
 * near-duplicates in a pile              stemma_scan_* the family tree of a group stemma_scan_get_tree
 *   stemma/act.h         acting on what a scan found                stemma_plan_*, stemma_undo
 *   stemma/collection.h  documents remembered on disk               stemma_collection_*
 *   stemma/mutate.h      controlled modifications                   stemma_mutate
 *
 * Errors.  Functions that can fail return a stemma_status and take an optional stemma_error, which is
 *   filled with a message that names the file and the cause. On failure every output is untouched.
 *   The library never prints and never exits.
 * Threads. There is no global state. An object may be used by one thread at a time; recipes and
 *   sketches are immutable once made and may be shared.
 * Ownership. What a function gives through a `**out` argument is the caller's, to be released with the
 *   matching _free, which accepts NULL. A recipe may be freed while sketchers and sketches made with it
 *   live on.
 */
#ifndef STEMMA_H
#define STEMMA_H

#include "stemma/act.h"
#include "stemma/collection.h"
#include "stemma/core.h"
#include "stemma/find.h"
#include "stemma/mutate.h"
#include "stemma/scan.h"
#include "stemma/text.h"

#endif
