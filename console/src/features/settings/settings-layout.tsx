import { Link, Outlet, useLocation, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useMay, type Role } from '../../lib/session.ts';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS;

interface Entry {
  to: LinkProps['to'];
  text: string;
  least?: Role;
}

const GROUPS: readonly { title: string; entries: readonly Entry[] }[] = [
  { title: texts.you, entries: [{ to: '/settings/profile', text: texts.pages.profile }] },
  {
    title: texts.organisation,
    entries: [
      { to: '/settings/organisation', text: texts.pages.organisation },
      { to: '/settings/usage', text: texts.pages.usage },
      { to: '/settings/members', text: texts.pages.members },
      { to: '/settings/keys', text: texts.pages.keys, least: 'admin' },
      { to: '/settings/webhooks', text: texts.pages.webhooks, least: 'admin' },
      { to: '/settings/storage', text: texts.pages.storage, least: 'admin' },
      { to: '/settings/connections', text: texts.pages.connections, least: 'admin' },
      { to: '/settings/audit-log', text: texts.pages.auditLog, least: 'admin' },
    ],
  },
];

/** The pages of the settings with their navigation: beside the page, on a phone above it. */
export function SettingsLayout() {
  const pathname = useLocation({ select: (location) => location.pathname });
  const navigation = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = navigation.current?.querySelector('[aria-current=page]');
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <div className="flex flex-col lg:flex-row">
      <nav
        ref={navigation}
        aria-label={texts.nav}
        className="flex shrink-0 gap-4 overflow-x-auto border-b border-line px-4 py-2 lg:w-52 lg:flex-col lg:border-b-0 lg:px-0 lg:py-8 lg:pl-6"
      >
        {GROUPS.map(({ title, entries }) => (
          <div key={title} className="flex shrink-0 gap-1 lg:flex-col">
            <p className="hidden px-3 pb-1 text-xs font-medium text-muted lg:block">{title}</p>
            {entries.map((entry) => (
              <NavigationLink key={entry.to} {...entry} />
            ))}
          </div>
        ))}
      </nav>
      <div className="min-w-0 grow">
        <Outlet />
      </div>
    </div>
  );
}

function NavigationLink({ to, text, least = 'viewer' }: Entry) {
  if (!useMay(least)) return null;
  return (
    <Link
      to={to}
      className="rounded-lg px-3 py-1.5 text-sm whitespace-nowrap text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      {text}
    </Link>
  );
}
