import { Page } from '../../ui/page.tsx';

export function LibraryPage() {
  return <Page title="Library">{null}</Page>;
}
