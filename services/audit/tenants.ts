import type { Invariant } from './invariant.ts';

export const tenants: Invariant = {
  id: 'I8',
  title: 'no object of a file is stored under another tenant',
  async *check({ em }) {
    const astray = await em().execute<{ object_key: string; tenant_id: string }[]>(
      `select object_key, tenant_id from files where object_key not like 'tenants/' || tenant_id || '/%'
       union all
       select file_variants.object_key, tenant_id from file_variants join files on files.id = file_id
       where file_variants.object_key not like 'tenants/' || tenant_id || '/%'`,
    );
    for (const { object_key: key, tenant_id: tenant } of astray) {
      yield `object ${key} belongs to a file of tenant ${tenant}`;
    }
  },
};
