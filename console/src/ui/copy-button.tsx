import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { notify, notifyError } from './notices.tsx';

const SHOWN_MS = 2000;

/** Copies a text, such as a key that is shown once. */
export function CopyButton({ text, label = TEXTS.common.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      notify(TEXTS.common.copied);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <Button size="small" icon={isCopied ? Check : Copy} onClick={() => void copy()}>
      {isCopied ? TEXTS.common.copied : label}
    </Button>
  );
}
