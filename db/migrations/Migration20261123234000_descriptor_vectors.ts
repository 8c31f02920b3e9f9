import { Migration } from '@mikro-orm/migrations';

/** Lists the vectors of images that were made before collections were recorded, so that they serve until a rebuild. */
export class Migration20261123234000_descriptor_vectors extends Migration {
  override name = 'Migration20261123234000_descriptor_vectors';

  override up(): void | Promise<void> {
    this.addSql(
      `insert into vector_collections (collection, index_name, dimension, settings, registered_at, serving_since)
       select 'image-local-v1-414', 'images', 414, '{"model": "local-v1"}', now(), now()
       where exists (select from files where described_at is not null)
         and not exists (select from vector_collections where index_name = 'images');`,
    );
  }

  override down(): void | Promise<void> {
    // Not needed by earlier builds, which record it themselves.
  }
}
