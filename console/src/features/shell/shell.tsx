import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState, type LinkProps } from '@tanstack/react-router';
import {
  Activity,
  FileSearch,
  Images,
  Menu as MenuIcon,
  MessageCircleQuestion,
  Settings,
  Upload,
  UserRound,
  type LucideIcon,
} from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { client } from '../../lib/client.ts';
import { LANGUAGE, LANGUAGES, setLanguage, type Language } from '../../lib/language.ts';
import { sessionQuery, signInAddress, useMay, useSession, type Role } from '../../lib/session.ts';
import { setTheme, THEMES, useTheme } from '../../lib/theme.ts';
import { TEXTS } from '../../texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { notifyError } from '../../ui/notices.tsx';

const UploadIndicator = lazy(async () => {
  return { default: (await import('../upload/upload-indicator.tsx')).UploadIndicator };
});

interface Entry {
  to: LinkProps['to'];
  text: string;
  icon: LucideIcon;
  /** The lowest role for which it is shown. */
  least?: Role;
}

const ENTRIES: readonly Entry[] = [
  { to: '/', text: TEXTS.app.library, icon: Images },
  { to: '/add', text: TEXTS.app.add, icon: Upload, least: 'editor' },
  { to: '/ask', text: TEXTS.app.ask, icon: MessageCircleQuestion },
  { to: '/extract', text: TEXTS.app.extract, icon: FileSearch },
  { to: '/work', text: TEXTS.app.work, icon: Activity },
  { to: '/settings', text: TEXTS.app.settings, icon: Settings },
];

/** The frame of every page behind the sign-in: navigation beside it, on a phone above it. */
export function Shell() {
  const { data } = useQuery(sessionQuery);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [isOpen, setOpen] = useState(false);
  const mayAdd = useMay('editor');
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (data === null) location.replace(signInAddress(location.pathname + location.search));
  }, [data]);
  if (!data) return null;
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:m-2 focus:bg-surface focus:p-2"
      >
        {TEXTS.app.skip}
      </a>
      <header className="sticky top-0 z-30 flex items-center justify-between gap-2 border-b border-line bg-bg px-4 py-2 md:h-dvh md:w-56 md:shrink-0 md:flex-col md:items-stretch md:justify-start md:border-r md:border-b-0 md:px-3 md:py-5">
        <Link to="/" className="flex items-center gap-2 px-2 text-lg font-semibold tracking-tight">
          <img src="/console.svg" alt="" width={24} height={24} />
          {TEXTS.app.name}
        </Link>
        <IconButton
          icon={MenuIcon}
          label={TEXTS.app.menu}
          aria-expanded={isOpen}
          aria-controls="navigation"
          className="md:hidden"
          onClick={() => setOpen(!isOpen)}
        />
        <div
          id="navigation"
          className={`${isOpen ? 'flex' : 'hidden'} absolute inset-x-0 top-full flex-col gap-2 border-b border-line bg-bg p-3 md:static md:flex md:grow md:border-0 md:p-0 md:pt-4`}
        >
          <nav aria-label={TEXTS.app.navigation} className="flex flex-col gap-0.5">
            {ENTRIES.map((entry) => (
              <NavigationLink key={entry.to} {...entry} />
            ))}
          </nav>
          <div className="flex flex-col gap-2 md:mt-auto">
            <Suspense>{mayAdd && <UploadIndicator />}</Suspense>
            <AccountMenu />
          </div>
        </div>
      </header>
      <main id="content" className="min-w-0 grow">
        <Outlet />
      </main>
    </div>
  );
}

function NavigationLink({ to, text, icon: Icon, least = 'viewer' }: Entry) {
  if (!useMay(least)) return null;
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className="flex h-10 items-center gap-3 rounded-lg px-3 text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon aria-hidden className="size-4.5" />
      {text}
    </Link>
  );
}

function AccountMenu() {
  const session = useSession();
  const queries = useQueryClient();
  const theme = useTheme();
  const navigate = useNavigate();
  const switchTo = async (id: string) => {
    try {
      await client.api.POST('/auth/switch-tenant', { body: { tenant_id: id } });
      // Everything on the page belongs to the former tenant.
      location.assign('/');
    } catch (error) {
      notifyError(error);
    }
  };
  const signOut = async () => {
    try {
      await client.api.POST('/auth/logout');
      queries.clear();
      location.assign('/sign-in');
    } catch (error) {
      notifyError(error);
    }
  };
  const trigger = (
    <Button variant="quiet" className="h-auto w-full justify-start px-3 py-2 text-left">
      <UserRound aria-hidden className="size-4.5 shrink-0" />
      <span className="sr-only">{TEXTS.app.account}: </span>
      <span className="min-w-0">
        <span className="block truncate text-sm">{session.user.name || session.user.email}</span>
        <span className="block truncate text-xs font-normal text-muted">{session.tenant.name}</span>
      </span>
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      {session.tenants.length > 1 && (
        <MenuChoices
          label={TEXTS.app.tenants}
          value={session.tenant.id}
          options={session.tenants.map(({ id, name }) => [id, name] as const)}
          onChange={(id) => void switchTo(id)}
        />
      )}
      <MenuChoices
        label={TEXTS.app.theme}
        value={theme}
        options={THEMES.map((name) => [name, TEXTS.app.themes[name]] as const)}
        onChange={setTheme}
      />
      <MenuChoices
        label={TEXTS.app.language}
        value={LANGUAGE}
        options={Object.entries(LANGUAGES) as [Language, string][]}
        onChange={setLanguage}
      />
      <MenuSeparator />
      <MenuItem onSelect={() => void navigate({ to: '/settings' })}>{TEXTS.app.settings}</MenuItem>
      <MenuItem onSelect={() => window.open('/api/v2/docs', '_blank', 'noopener')}>
        {TEXTS.app.apiDocs}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => void signOut()}>{TEXTS.app.signOut}</MenuItem>
    </Menu>
  );
}
