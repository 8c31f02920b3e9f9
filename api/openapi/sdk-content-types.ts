import { TYPES_BY_EXTENSION } from '../../domain/media.ts';

const ABOUT = 'Content types by extension, written by `npm run openapi` from domain/media.ts.';
const entries = (line: (extension: string, type: string) => string): string =>
  Array.from(TYPES_BY_EXTENSION, ([extension, type]) => line(extension, type)).join('\n');

/** The copy of the accepted content types in each SDK, by its path in the project. */
export const CONTENT_TYPES_OF_SDKS: Readonly<Record<string, string>> = {
  'sdk/src/content-types.ts': `/** ${ABOUT} */
export const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
${entries((extension, type) => `  ['${extension}', '${type}'],`)}
]);
`,
  'sdk/python/src/darkroom/content_types.py': `"""${ABOUT}"""

TYPES_BY_EXTENSION = {
${entries((extension, type) => `    "${extension}": "${type}",`)}
}
`,
};
