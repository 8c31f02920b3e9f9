import { Page } from '../../ui/page.tsx';

export function AddPage() {
  return <Page title="Add">{null}</Page>;
}
