/** Of a user or a tenant. */
export const MAX_NAME_LENGTH = 200;

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** What a user has chosen for the dashboard; absent fields have the dashboard's default. */
export interface Preferences {
  /** IANA name. */
  timezone?: string;
  theme?: Theme;
  /** BCP 47 tag. */
  language?: string;
  notifications?: { email?: boolean; browser?: boolean };
}
