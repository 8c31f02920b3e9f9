/** What a document consists of: types, and rules that load no format. */
export * from './document-profile.ts';
export * from './document-type.ts';
export * from './element.ts';
export * from './page-layout.ts';
export * from './page-line.ts';
export * from './page.ts';
