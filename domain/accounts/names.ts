/** Of a user or a tenant. */
export const MAX_NAME_LENGTH = 200;
