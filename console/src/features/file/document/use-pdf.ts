import { useQueryClient } from '@tanstack/react-query';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useEffectEvent, useState } from 'react';
import { fileQuery, type DetailOf } from '../queries.ts';

/** `none` for documents that are not drawn here, of any other type. */
export type PdfState =
  | { is: 'none' | 'opening' }
  | { is: 'open'; document: PDFDocumentProxy }
  | { is: 'failed' };

/** The PDF of a document, opened while a component is shown; the code that draws it is loaded only then. */
export function usePdf(file: DetailOf<'document'>): PdfState {
  const isPdf = file.document_type === 'pdf';
  const [state, setState] = useState<PdfState>({ is: isPdf ? 'opening' : 'none' });
  const queries = useQueryClient();
  const urlOf = useEffectEvent(async (isExpired: boolean) => {
    const { document_url: url } = isExpired
      ? ((await queries.fetchQuery({ ...fileQuery(file.id), staleTime: 0 })) as typeof file)
      : file;
    if (url === null) throw new Error('the original is not stored');
    return url;
  });
  const open = useEffectEvent(async () => {
    const { openPdf } = await import('./pdf.ts');
    return openPdf({ bytes: file.size_bytes, urlOf: (isExpired) => urlOf(isExpired) });
  });
  useEffect(() => {
    if (!isPdf) return;
    let isShown = true;
    let close: (() => void) | undefined;
    open().then(
      (pdf) => {
        if (!isShown) return pdf.close();
        close = pdf.close;
        setState({ is: 'open', document: pdf.document });
      },
      () => {
        if (isShown) setState({ is: 'failed' });
      },
    );
    return () => {
      isShown = false;
      close?.();
    };
  }, [isPdf, file.id]);
  return state;
}
