/** What a role may do; each level includes those before it. */
export const PERMISSIONS = ['VIEW', 'EDIT', 'ADMIN'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

const LEVEL: Readonly<Record<Role, Permission>> = {
  viewer: 'VIEW',
  editor: 'EDIT',
  admin: 'ADMIN',
  owner: 'ADMIN',
};

export function roleAllows(role: Role, permission: Permission): boolean {
  return PERMISSIONS.indexOf(LEVEL[role]) >= PERMISSIONS.indexOf(permission);
}
