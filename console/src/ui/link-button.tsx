import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { buttonClasses, type Look } from './button.tsx';

/** A link to a page of the console that looks like a button. */
export function LinkButton({
  variant,
  size,
  icon: Icon,
  children,
  className,
  ...link
}: LinkProps & Look & { children: ReactNode; className?: string; onClick?: () => void }) {
  return (
    <Link {...link} className={buttonClasses({ variant, size }, className)}>
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
    </Link>
  );
}
