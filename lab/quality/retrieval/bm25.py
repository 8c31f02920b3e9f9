"""Reads {"passages", "questions", "limit"}; writes, for each question, the positions of the best passages by BM25."""

import json
import sys

import bm25s
import Stemmer

given = json.load(sys.stdin)
stemmer = Stemmer.Stemmer("english")


def tokens_of(texts):
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)


index = bm25s.BM25()
index.index(tokens_of(given["passages"]), show_progress=False)
places, scores = index.retrieve(tokens_of(given["questions"]), k=given["limit"], show_progress=False)
# A passage without any of the words is no hit.
ranked = [[int(at) for at, score in zip(*each) if score > 0] for each in zip(places, scores)]
json.dump(ranked, sys.stdout)
