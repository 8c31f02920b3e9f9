import { access, constants, mkdir } from 'node:fs/promises';
import { LOCAL_IMAGE_MODEL } from '../../../adapters/models/image-embedding/local-embedding.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../../adapters/vector-index/create-vector-index.ts';
import { imageCollection } from '../../../services/images/served-images.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy, explainError, type Area, isPrivateHost } from '../run-checks.ts';

/** Checks that the vector index is reachable, and reports the number of image vectors. */
export const vectorIndex: Area = {
  name: 'Vector index',
  slices: [vectorConfig],
  async check(env, report) {
    const config = readConfig([vectorConfig], env);
    const { QDRANT_URL: url, LANCEDB_PATH: folder } = config;
    if (url === undefined && folder !== undefined) {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.R_OK | constants.W_OK);
    }
    const { collection, dimension } = imageCollection(LOCAL_IMAGE_MODEL);
    const index = createVectorIndex(config, { collection, dimension });
    try {
      // Not ready(): it serves load balancers and gives up after two seconds.
      const vectors = await index.count();
      report.ok('reachable', url === undefined ? `LanceDB in ${folder}` : `Qdrant at ${new URL(url).origin}`);
      if (url !== undefined) {
        const { protocol, hostname } = new URL(url);
        if (protocol === 'https:') report.ok('TLS', 'on, certificate verified');
        else if (isPrivateHost(hostname)) report.ok('TLS', 'off, on a private address');
        else
          report.warn(
            'TLS',
            'off: the API key and all vectors are readable',
            'use an https:// address in QDRANT_URL',
          );
      }
      const stored = vectors === 0 ? 'no vectors yet: the first image creates it' : `${vectors} vectors`;
      report.ok('collection', `${collection}, ${stored}`);
    } finally {
      await index.close();
    }
  },
  remedy(error) {
    const status =
      /answered (401|403)/.test(explainError(error)) || /Unauthorized|Forbidden/.test(explainError(error));
    if (status) return 'check QDRANT_API_KEY';
    return connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', 'check QDRANT_URL or LANCEDB_PATH');
  },
};
