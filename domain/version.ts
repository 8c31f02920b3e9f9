import packageFile from '../package.json' with { type: 'json' };

/** The version of this release, from package.json. That of the API is in its path. */
export const VERSION: string = packageFile.version;
