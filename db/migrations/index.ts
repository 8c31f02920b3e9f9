import {  } from './.ts';

/** In the order in which they apply. */
export const MIGRATIONS = [];
