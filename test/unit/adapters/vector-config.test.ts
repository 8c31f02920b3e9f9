import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionName, qdrantAddress, vectorConfig } from '../../../adapters/vector-index/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';

describe('settings of the vector index', () => {
  it('name both options when neither is set', () => {
    assert.throws(() => readConfig([vectorConfig], {}), {
      message:
        'Bad settings:\n  QDRANT_URL: required unless LANCEDB_PATH is set\n  LANCEDB_PATH: required unless QDRANT_URL is set',
    });
  });

  it('are valid with either', () => {
    assert.equal(readConfig([vectorConfig], { LANCEDB_PATH: 'x', QDRANT_URL: '' }).LANCEDB_PATH, 'x');
    assert.ok(readConfig([vectorConfig], { QDRANT_URL: 'http://127.0.0.1:6333' }).QDRANT_URL);
    assert.throws(() => readConfig([vectorConfig], { QDRANT_URL: 'qdrant:6333' }), /must be an http/);
  });
});

describe('qdrantAddress', () => {
  it('keeps the path and the port, 6333 by default', () => {
    const cases = {
      'http://127.0.0.1:7000': { url: 'http://127.0.0.1:7000', port: 7000 },
      'https://example.com': { url: 'https://example.com', port: 6333 },
      'https://example.com:443/qdrant/': { url: 'https://example.com', port: 443, prefix: '/qdrant' },
      'http://[::1]:80': { url: 'http://[::1]', port: 80 },
    };
    for (const [url, parts] of Object.entries(cases)) assert.deepEqual(qdrantAddress(url), parts);
  });
});

describe('collectionName', () => {
  it('contains model and dimension, in characters that every engine accepts', () => {
    assert.equal(collectionName('image', 'local-v1', 512), 'image-local-v1-512');
    assert.equal(collectionName('chunk', 'Org/Embed_3:latest', 768), 'chunk-org-embed-3-latest-768');
  });
});
