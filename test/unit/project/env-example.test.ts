import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mailConfig } from '../../../adapters/mail/config.ts';
import { ocrConfig } from '../../../adapters/models/ocr/config.ts';
import { visionConfig } from '../../../adapters/models/vision/config.ts';
import { oidcConfig } from '../../../adapters/oidc/config.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { apiConfig } from '../../../api/config.ts';
import { databaseConfig } from '../../../db/config.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { workerConfig } from '../../../worker/config.ts';

test('.env.example names every setting of the API and the workers', () => {
  const text = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
  const slices = [
    apiConfig,
    workerConfig,
    databaseConfig,
    temporalConfig,
    s3Config,
    ocrConfig,
    visionConfig,
    vectorConfig,
    mailConfig,
    oidcConfig,
  ];
  const missing = slices
    .flatMap((slice) => Object.keys(slice.shape))
    .filter((name) => !new RegExp(`^#? ?${name}=`, 'm').test(text));
  assert.deepEqual(missing, []);
});
