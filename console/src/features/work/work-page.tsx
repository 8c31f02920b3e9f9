import { Page } from '../../ui/page.tsx';

export function WorkPage() {
  return <Page title="Work">{null}</Page>;
}
