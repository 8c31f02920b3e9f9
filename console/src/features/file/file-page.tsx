import { Page } from '../../ui/page.tsx';

export function FilePage() {
  return <Page title="File">{null}</Page>;
}
