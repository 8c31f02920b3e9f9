import type { MergedCells } from '../document/element.ts';
import type { Box } from './geometry.ts';

/** An entry of a document's outline. */
export interface OutlineTitle {
  text: string;
  /** Its depth in the outline, from 1. */
  level: number;
}

/** A block of text of a tagged page: a title of a level, a cell, what is written in a figure, or any other. */
export interface TaggedBlock {
  level?: number;
  figure?: true;
  /** Its place in a table of the page. */
  cell?: { table: number; row: number; column: number; rows: number; columns: number } | undefined;
}

/** How heavy the letters of fonts are that are not bold, as in CSS. */
export const WEIGHTS = { light: 300, usual: 400, medium: 500 } as const;

/** A cut of a family of fonts. */
export interface FontCut {
  family: string;
  weight: (typeof WEIGHTS)[keyof typeof WEIGHTS];
}

/** A piece of text of one font at its position on the page. */
export interface Run extends Box {
  /** In logical order. */
  text: string;
  baseline: number;
  /** Height of the font, in the page's units. */
  size: number;
  bold: boolean;
  /** How heavy it is in its family, if that says whether it is bold beside the text of the page. */
  cut?: FontCut;
  italic: boolean;
  /** Whether all letters of its font are equally wide. */
  monospaced?: boolean;
  rightToLeft: boolean;
  /** Whether the page itself has a space before this run. */
  spaceBefore: boolean;
  /** Whether it is a recognised word, whose place and size are measured roughly. */
  recognised?: true;
  /** The number of its block of text, as a recogniser sees it. */
  block?: number;
  /** The number of its block among those that the page's tags name. */
  tag?: number;
}

/** Runs of one line with no wide gap between them: a line of a column, or a cell's line of a table. */
export interface Segment extends Box {
  runs: readonly Run[];
  text: string;
  baseline: number;
  /** Font size of most characters. */
  size: number;
  /** Whether nearly all characters are bold. */
  bold: boolean;
  italic: boolean;
  /** Whether all of it is monospaced. */
  monospaced: boolean;
  rightToLeft: boolean;
}

/** All input of a layout. Boxes are upright. */
export interface PageParts {
  width: number;
  height: number;
  runs: readonly Run[];
  /** Drawn lines and edges of filled or stroked rectangles, thin in one direction. */
  rules: readonly Box[];
  images: readonly Box[];
  /** Boxes of curves and slanting lines. */
  drawings: readonly Box[];
  /** The titles of the document's outline that lead to this page. */
  outline?: readonly OutlineTitle[];
  /** The blocks that its tags name, in their order. */
  tags?: readonly TaggedBlock[];
}

/** Lines of one column from top to bottom, each with its segments from left to right. */
export type Line = readonly Segment[];

/** A table of a page. */
export interface TableGrid {
  box: Box;
  rows: string[][];
  merged?: MergedCells[];
  /** Of the cells, or of their text where no lines are around them. */
  cellBoxes?: Box[][];
}
