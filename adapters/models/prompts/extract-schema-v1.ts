/** What a client's own schema is filled in by. */
export const extractSchemaV1 = {
  version: 'extract-schema-v1',
  instructions: [
    'The names, titles and descriptions of the schema say what is looked for.',
    'Write numbers as numbers, without currencies, units and separators of thousands; dates as YYYY-MM-DD where the',
    'schema says that it is a date. Leave out properties that are not required and that you do not find.',
    'Take each row of a table as an item of its own, in the order of the page, without rows that only sum up.',
  ].join(' '),
};
