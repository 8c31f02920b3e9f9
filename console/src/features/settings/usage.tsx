import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { client } from '../../lib/client.ts';
import { formatDate, formatMilliseconds, formatNumber } from '../../lib/format.ts';
import { SelectInput } from '../../ui/field.tsx';
import { Card, ErrorNote, Page, Skeleton } from '../../ui/page.tsx';
import { ProgressBar } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.usage;
const UsageChart = lazy(() => import('./usage-chart.tsx'));
const RANGES = ['7', '30', '365'] as const;
type Range = (typeof RANGES)[number];
const DAY_MS = 24 * 3600 * 1000;

export function Usage() {
  const [range, setRange] = useState<Range>('30');
  return (
    <Page
      title={SETTINGS_TEXTS.pages.usage}
      actions={
        <SelectInput
          label={texts.range}
          hideLabel
          value={range}
          options={RANGES.map((days) => [days, texts.ranges[days]] as const)}
          onChange={(event) => setRange(event.target.value as Range)}
        />
      }
    >
      <Credits />
      <OverTime range={range} />
      <Operations />
      <Endpoints range={range} />
      <Tokens />
    </Page>
  );
}

/** The data of a query, or its error or a skeleton in its place. */
function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  return query.error ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton />;
}

function Credits() {
  const plan = useQuery({
    queryKey: ['usage', 'plan'],
    queryFn: async ({ signal }) => (await client.api.GET('/usage/plan', { signal })).data,
  });
  const breakdown = useBreakdown();
  return (
    <Card>
      <Loaded query={breakdown}>
        {(data) => {
          const isLimited = data.monthly_limit >= 0;
          return (
            <div className="flex flex-col gap-2">
              <h2 className="text-sm text-muted">{texts.creditsUsed}</h2>
              <p className="text-3xl font-semibold tabular-nums">
                {formatNumber(data.total_credits_used)}{' '}
                <span className="text-base font-normal text-muted">
                  {isLimited ? texts.ofCredits(formatNumber(data.monthly_limit)) : texts.withoutLimit}
                </span>
              </p>
              {isLimited && (
                <ProgressBar
                  label={texts.creditsUsed}
                  value={data.total_credits_used}
                  max={data.monthly_limit}
                />
              )}
              <p className="text-sm text-muted">{texts.resets(formatDate(data.reset_date))}</p>
            </div>
          );
        }}
      </Loaded>
      <Loaded query={plan}>
        {({ projections, optimization_recommendations: advice }) => (
          <div className="mt-4 flex flex-col gap-2 border-t border-line pt-4">
            {projections && (
              <p>
                {texts.projected}: <strong>{formatNumber(projections.projected_monthly_requests)}</strong> (
                {texts.trending[projections.trending]})
              </p>
            )}
            {advice.suggestions.length > 0 && (
              <section>
                <h3 className="text-sm font-medium">{texts.suggestions}</h3>
                <ul className="list-disc pl-5 text-sm">
                  {advice.suggestions.map((suggestion) => (
                    <li key={suggestion} lang="en">
                      {suggestion}
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function useBreakdown() {
  return useQuery({
    queryKey: ['usage', 'breakdown'],
    queryFn: async ({ signal }) => (await client.api.GET('/usage/breakdown', { signal })).data,
  });
}

/** The period that ends now; whole hours, so that a second look is the same query. */
function periodOf(range: Range): { start_date: string; end_date: string } {
  const end = new Date();
  end.setMinutes(60, 0, 0);
  const start = new Date(end.getTime() - Number(range) * DAY_MS);
  return { start_date: start.toISOString(), end_date: end.toISOString() };
}

function OverTime({ range }: { range: Range }) {
  const query = {
    ...periodOf(range),
    period_type: range === '7' ? 'hour' : range === '30' ? 'day' : 'month',
  } as const;
  const usage = useQuery({
    queryKey: ['usage', 'by-period', query],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/usage/by-period', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={texts.overTime}>
      <Loaded query={usage}>
        {({ data, start_date: start, end_date: end }) => {
          const total = data.reduce((sum, { value }) => sum + value, 0);
          return (
            <figure>
              <Suspense fallback={<Skeleton />}>
                <UsageChart points={data} name={texts.requests} unit={query.period_type} />
              </Suspense>
              <figcaption className="mt-2 text-sm text-muted">
                {texts.chart(formatDate(start), formatDate(end), formatNumber(total))}
              </figcaption>
            </figure>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Operations() {
  const breakdown = useBreakdown();
  return (
    <Card title={texts.byOperation}>
      <Loaded query={breakdown}>
        {({ by_operation_type: operations }) => {
          const used = Object.entries(operations).filter(([, credits]) => credits > 0);
          if (used.length === 0) return <p className="text-muted">{texts.nothing}</p>;
          return (
            <Table caption={texts.byOperation} columns={[texts.operation, texts.credits]}>
              {used.map(([operation, credits]) => (
                <tr key={operation}>
                  <Cell>{texts.operations[operation as keyof typeof texts.operations] ?? operation}</Cell>
                  <Cell className="tabular-nums">{formatNumber(credits)}</Cell>
                </tr>
              ))}
            </Table>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Endpoints({ range }: { range: Range }) {
  const query = periodOf(range);
  const endpoints = useQuery({
    queryKey: ['usage', 'top-endpoints', query],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/usage/top-endpoints', { params: { query }, signal })).data.endpoints,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={texts.endpoints}>
      <Loaded query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-muted">{texts.nothing}</p>
          ) : (
            <Table caption={texts.endpoints} columns={[texts.endpoint, texts.requests, texts.average]}>
              {list.map(
                ({ endpoint, operation_type: type, request_count: count, avg_response_time_ms: time }) => (
                  <tr key={`${endpoint} ${type}`}>
                    <Cell className="font-mono text-xs">{endpoint}</Cell>
                    <Cell className="tabular-nums">{formatNumber(count)}</Cell>
                    <Cell className="tabular-nums whitespace-nowrap">{formatMilliseconds(time)}</Cell>
                  </tr>
                ),
              )}
            </Table>
          )
        }
      </Loaded>
    </Card>
  );
}

function Tokens() {
  const now = new Date();
  const query = { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1 };
  const tokens = useQuery({
    queryKey: ['usage', 'tokens', query],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/usage/tokens/monthly', { params: { query }, signal })).data,
  });
  return (
    <Card title={texts.tokens}>
      <Loaded query={tokens}>
        {({ total_input_tokens: input, total_output_tokens: output }) => (
          <dl className="flex gap-10">
            <div>
              <dt className="text-sm text-muted">{texts.input}</dt>
              <dd className="text-xl font-semibold tabular-nums">{formatNumber(input)}</dd>
            </div>
            <div>
              <dt className="text-sm text-muted">{texts.output}</dt>
              <dd className="text-xl font-semibold tabular-nums">{formatNumber(output)}</dd>
            </div>
          </dl>
        )}
      </Loaded>
    </Card>
  );
}
