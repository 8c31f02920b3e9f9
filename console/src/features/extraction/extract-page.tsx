import { Page } from '../../ui/page.tsx';

export function ExtractPage() {
  return <Page title="Extract">{null}</Page>;
}
