/** Permissions, in ascending order; each includes those before it. */
export const PERMISSIONS = ['VIEW', 'EDIT', 'ADMIN'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];
/** The roles that members can be given; the owner is the one who opened the account. */
export const ASSIGNABLE_ROLES = ['viewer', 'editor', 'admin'] as const satisfies readonly Role[];
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

const LEVEL: Readonly<Record<Role, Permission>> = {
  viewer: 'VIEW',
  editor: 'EDIT',
  admin: 'ADMIN',
  owner: 'ADMIN',
};

export function roleAllows(role: Role, permission: Permission): boolean {
  return PERMISSIONS.indexOf(LEVEL[role]) >= PERMISSIONS.indexOf(permission);
}

/** The less privileged of two roles. */
export function lowerRole(one: Role, other: Role): Role {
  return ROLES.indexOf(one) < ROLES.indexOf(other) ? one : other;
}
