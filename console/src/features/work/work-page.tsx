import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ExportsTab } from './exports-tab.tsx';
import { ImportsTab } from './imports-tab.tsx';
import { ReprocessingTab } from './reprocessing-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { StuckTab } from './stuck-tab.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS;
const route = getRouteApi('/signed-in/work');

/** What the service is doing: upload sessions, imports, reprocessings, exports, and files that are stuck. */
export function WorkPage() {
  const { tab = 'uploads' } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page title={texts.title}>
      <Tabs
        label={texts.parts}
        value={tab}
        onChange={(next) => void navigate({ to: '/work', search: { tab: next }, replace: true })}
        tabs={[
          { id: 'uploads', name: texts.tabs.uploads, content: <SessionsTab /> },
          { id: 'imports', name: texts.tabs.imports, content: <ImportsTab /> },
          { id: 'reprocessing', name: texts.tabs.reprocessing, content: <ReprocessingTab /> },
          { id: 'exports', name: texts.tabs.exports, content: <ExportsTab /> },
          { id: 'stuck', name: texts.tabs.stuck, content: <StuckTab /> },
        ]}
      />
    </Page>
  );
}
