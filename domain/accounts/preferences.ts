/** Longest name of a user or a tenant. */
export const MAX_NAME_LENGTH = 200;

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** A user's settings of the dashboard; absent fields have its defaults. */
export interface Preferences {
  /** IANA name. */
  timezone?: string;
  theme?: Theme;
  /** BCP 47 tag. */
  language?: string;
  notifications?: { email?: boolean; browser?: boolean };
}
