import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { startTheme } from './theme.ts';
import '../styles.css';

/** Shows a tree of components as the whole of this document. */
export function show(app: ReactNode): void {
  startTheme();
  const root = document.querySelector('#root');
  if (!root) throw new Error('the document has no #root');
  // A page that the browser kept may belong to somebody who has signed out since.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  createRoot(root).render(<StrictMode>{app}</StrictMode>);
}
