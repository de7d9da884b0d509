#ifndef TIFFIN_CBUILD_H
#define TIFFIN_CBUILD_H

/*
 * What a build knows of itself and Swift cannot be told otherwise: text comes from the environment of the build
 * (Package.swift).
 */

/* The commit that was built, `-modified` behind it when the work tree was; "unknown" for a plain `swift build`. */
const char *tiffin_build_commit(void);

/* How it was built, words with commas between them: "release", "debug", "address sanitizer", "static-stdlib". */
const char *tiffin_build_flags(void);

#endif
