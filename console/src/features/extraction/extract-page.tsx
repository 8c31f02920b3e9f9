import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Library, ScanText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { components } from 'darkroom-client';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { SelectInput, TextArea } from '../../ui/field.tsx';
import { FilePicker } from '../../ui/file-picker.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { ExtractionList } from '../file/extraction-list.tsx';
import { RunList } from './run-list.tsx';
import { startRuns } from './runs.ts';
import { SchemaChoice, useChosenSchema } from './schema-choice.tsx';
import { EXTRACTION_TEXTS } from './texts.ts';

type Level = components['schemas']['AnalysisLevel'];

const texts = EXTRACTION_TEXTS;
const route = getRouteApi('/signed-in/extract');
const LEVELS = ['quick', 'standard', 'thorough', 'critical'] as const satisfies readonly Level[];

/** Extracts values from files: what, from which, how; then the extractions of this visit. */
export function ExtractPage() {
  const search = route.useSearch();
  const { file: files = [], schema: schemaId } = search;
  const navigate = useNavigate({ from: '/extract' });
  const mayRun = useMay('editor');
  const chosen = useChosenSchema(schemaId);
  const [prompt, setPrompt] = useState('');
  const [level, setLevel] = useState<Level>('standard');
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  const run = useMutation({
    mutationFn: () =>
      startRuns(
        { ...chosen.source, analysis_level: level, ...(prompt.trim() && { prompt: prompt.trim() }) },
        files,
      ),
    onSuccess: ([id, ...others]) => {
      // One result is what a person waits for; several are listed.
      if (id && others.length === 0 && isShown.current) {
        void navigate({ to: '/extractions/$extractionId', params: { extractionId: id } });
      }
    },
  });
  const missing = !chosen.isValid ? texts.needSchema : files.length === 0 ? texts.needFile : undefined;
  return (
    <Page
      title={texts.title}
      actions={
        <LinkButton to="/extract/schemas" icon={Library}>
          {texts.schemas}
        </LinkButton>
      }
    >
      <p className="-mt-3 text-muted">{texts.intro}</p>
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <Card title={texts.what}>
          <SchemaChoice
            chosen={chosen}
            onChoose={(id) => void navigate({ search: { ...search, schema: id }, replace: true })}
          />
        </Card>
        <div className="flex flex-col gap-5">
          <Card title={texts.from}>
            <FilePicker
              chosen={files}
              media={['document', 'image']}
              onChange={(ids) =>
                void navigate({
                  search: { ...search, file: ids.length > 0 ? ids : undefined },
                  replace: true,
                })
              }
            />
          </Card>
          {mayRun ? (
            <Card>
              <div className="flex flex-col gap-4">
                <details>
                  <summary className="min-h-6 text-sm text-accent underline">{texts.more}</summary>
                  <div className="mt-3 flex flex-col gap-4">
                    <SelectInput
                      label={texts.level}
                      value={level}
                      options={LEVELS.map((each) => [each, texts.levels[each]] as const)}
                      onChange={({ target }) => setLevel(target.value as Level)}
                    />
                    <TextArea
                      label={texts.prompt}
                      optional
                      rows={2}
                      maxLength={2000}
                      hint={texts.promptHint}
                      value={prompt}
                      onChange={({ target }) => setPrompt(target.value)}
                    />
                  </div>
                </details>
                {missing && <p className="text-sm text-muted">{missing}</p>}
                <Button
                  variant="primary"
                  icon={ScanText}
                  busy={run.isPending}
                  disabled={missing !== undefined}
                  onClick={() => run.mutate()}
                >
                  {run.isPending ? texts.running : texts.run(files.length)}
                </Button>
              </div>
            </Card>
          ) : (
            <p className="text-muted">{texts.noEdit}</p>
          )}
          <RunList />
        </div>
      </div>
      <Card title={texts.earlier}>
        <ExtractionList />
      </Card>
    </Page>
  );
}
