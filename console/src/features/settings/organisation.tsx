import { useQuery, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { formatDate, formatNumber } from '../../lib/format.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { useMay, useSession } from '../../lib/session.ts';
import { fromApi } from '../../lib/translate.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckboxInput, SelectInput, TextInput } from '../../ui/field.tsx';
import { notify } from '../../ui/notices.tsx';
import { Card, ErrorNote, Page, Skeleton } from '../../ui/page.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { RetentionForm } from '../shared/retention-form.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { Fact, useAction } from './parts.tsx';
import type { Data } from 'darkroom-client';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.general;
const PROVIDERS = ['openai', 'anthropic', 'google', 'azure', 'aws'] as const;
const LAYOUTS = ['auto', 'rules', 'always'] as const;

type Settings = Data<'/tenant/settings', 'get'>;

export function Organisation() {
  const { tenant } = useSession();
  const mayManage = useMay('admin');
  const settings = useQuery({
    queryKey: ['tenant-settings'],
    queryFn: async ({ signal }) => (await client.api.GET('/tenant/settings', { signal })).data,
  });
  return (
    <Page title={SETTINGS_TEXTS.pages.organisation}>
      {settings.error && <ErrorNote error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Skeleton />}
      {settings.data && (
        <Card title={tenant.name}>
          <dl className="mb-4 grid gap-3 sm:grid-cols-3">
            <Fact name={texts.tier}>{settings.data.subscription_tier}</Fact>
            <Fact name={texts.created}>{formatDate(settings.data.created_at)}</Fact>
          </dl>
          {mayManage && <SettingsForm settings={settings.data} />}
        </Card>
      )}
      {settings.data && mayManage && <Retention settings={settings.data} />}
      {settings.data && <MissingModels models={settings.data.missing_models} />}
      <Limits />
    </Page>
  );
}

function Retention({ settings }: { settings: Settings }) {
  const queries = useQueryClient();
  return (
    <Card title={TEXTS.retention.title}>
      <RetentionForm
        of="organisation"
        settings={settings}
        save={async (body) => {
          await client.api.PATCH('/tenant/settings', { body });
          await queries.invalidateQueries({ queryKey: ['tenant-settings'] });
          notify(TEXTS.common.saved);
        }}
      />
    </Card>
  );
}

function MissingModels({ models }: { models: Settings['missing_models'] }) {
  if (models.length === 0) return null;
  return (
    <Card title={texts.missingModels}>
      <p className="mb-4 text-sm text-muted">{texts.missingModelsText}</p>
      <Table caption={texts.missingModels} columns={[texts.model, texts.neededTo]}>
        {models.map(({ name, purpose }) => (
          <tr key={name}>
            <Cell>{name}</Cell>
            <Cell>{fromApi(purpose)}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

const schema = z.object({
  name: z.string().min(1, TEXTS.errors.required),
  page_layout: z.enum(LAYOUTS),
  allowed_vlm_providers: z.array(z.enum(PROVIDERS)),
});

function SettingsForm({ settings }: { settings: Settings }) {
  const form = useSchemaForm(schema, settings);
  const save = useAction((body: z.output<typeof schema>) => client.api.PATCH('/tenant/settings', { body }), {
    changes: ['tenant-settings'],
    done: TEXTS.common.saved,
    onError: (error) => showInForm(form, error),
  });
  const { errors } = form.formState;
  const submit = form.handleSubmit((body) => save.mutate(body));
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex max-w-md flex-col gap-4">
      <TextInput label={texts.name} error={errors.name?.message} {...form.register('name')} />
      <SelectInput
        label={texts.pageLayout}
        options={LAYOUTS.map((layout) => [layout, texts.layouts[layout]] as const)}
        {...form.register('page_layout')}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">{texts.providers}</legend>
        {PROVIDERS.map((provider) => (
          <CheckboxInput
            key={provider}
            label={provider}
            value={provider}
            hint={settings.configured_vlm_providers.includes(provider) ? undefined : texts.notConfigured}
            {...form.register('allowed_vlm_providers')}
          />
        ))}
        <p className="text-sm text-muted">{texts.providersHint}</p>
      </fieldset>
      <FormError message={errors.root?.message} />
      <Button type="submit" busy={save.isPending} className="self-start">
        {TEXTS.common.save}
      </Button>
    </form>
  );
}

function Limits() {
  const limits = useQuery({
    queryKey: ['tenant-limits'],
    queryFn: async ({ signal }) => (await client.api.GET('/tenant/limits', { signal })).data,
  });
  if (limits.error) return <ErrorNote error={limits.error} onRetry={() => void limits.refetch()} />;
  if (!limits.data) return <Skeleton />;
  const { limits: most, usage, remaining } = limits.data;
  const show = (value: number) => (value < 0 ? texts.unlimited : formatNumber(value));
  const rows = [
    ['monthly_credits', texts.credits],
    ['api_calls_per_minute', texts.requests],
  ] as const;
  return (
    <Card title={texts.limits}>
      <Table caption={texts.limits} columns={[texts.limits, texts.used, texts.limit, texts.remaining]}>
        {rows.map(([key, name]) => (
          <tr key={key}>
            <Cell>{name}</Cell>
            <Cell>{show(usage[key])}</Cell>
            <Cell>{show(most[key])}</Cell>
            <Cell>{show(remaining[key])}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
