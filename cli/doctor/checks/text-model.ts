import { createTextEmbedding } from '../../../adapters/models/text-embedding/create-text-embedding.ts';
import { textEmbeddingConfig } from '../../../adapters/models/text-embedding/config.ts';
import { visionConfig } from '../../../adapters/models/vision/config.ts';
import { ConfigError, readConfig } from '../../../domain/schemas/read-config.ts';
import { connectionRemedy, explainError, type Area } from '../run-checks.ts';

const SLICES = [textEmbeddingConfig, visionConfig] as const;

/** Checks that the text model can be opened, and that it embeds a text. */
export const textModel: Area = {
  name: 'Text model',
  slices: SLICES,
  async check(env, report) {
    const config = readConfig(SLICES, env);
    let embedding;
    try {
      embedding = await createTextEmbedding(config);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems)
        report.fail('opened', problem, 'correct TEXT_EMBEDDING: “Text models” in docs/runbook.md');
      return;
    }
    try {
      const options = { role: 'query', signal: new AbortController().signal } as const;
      await embedding.embed(['Is the lamp lit?'], options);
      report.ok('embeds', `${embedding.model}, ${embedding.dimension} dimensions`);
    } catch (error) {
      report.fail('embeds', explainError(error), remedy(error));
    } finally {
      await embedding.close();
    }
  },
  remedy,
};

function remedy(error: unknown): string {
  return connectionRemedy(
    error,
    'NODE_EXTRA_CA_CERTS',
    'check the settings TEXT_EMBEDDING…; a damaged file of a model must be fetched again',
  );
}
