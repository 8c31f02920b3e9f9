import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';

const BASE =
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:opacity-50';
const VARIANTS = {
  primary: 'bg-accent text-on-accent hover:brightness-110',
  secondary: 'border border-line bg-surface text-ink hover:bg-sunken',
  quiet: 'text-ink hover:bg-sunken',
  danger: 'border border-bad/40 bg-surface text-bad hover:bg-bad-soft',
} as const;
const SIZES = {
  small: 'h-8 px-2.5 text-sm',
  medium: 'h-10 px-4',
  icon: 'size-10',
  smallIcon: 'size-8',
} as const;

/** How a button looks. */
export interface Look {
  variant?: keyof typeof VARIANTS;
  size?: keyof typeof SIZES;
  icon?: LucideIcon;
}

/** The classes of what looks like a button. */
export const buttonClasses = ({ variant = 'secondary', size = 'medium' }: Look, more = '') =>
  `${BASE} ${VARIANTS[variant]} ${SIZES[size]} ${more}`;

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & Look & { busy?: boolean };

/** A button; `busy` shows that its action is under way and lets nobody start it twice. */
export function Button({
  variant,
  size,
  icon: Icon,
  busy = false,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={buttonClasses({ variant, size }, className)}
    >
      {busy ? (
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
      ) : (
        Icon && <Icon aria-hidden className="size-4 shrink-0" />
      )}
      {children}
    </button>
  );
}

/** A button with only an icon; `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  size = 'icon',
  variant = 'quiet',
  ...rest
}: Omit<ButtonProps, 'children'> & { label: string; icon: LucideIcon }) {
  return <Button {...rest} size={size} variant={variant} aria-label={label} title={label} />;
}
