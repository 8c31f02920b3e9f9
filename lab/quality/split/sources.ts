/** Real PDFs of many makers, from Debian packages and source archives on PyPI: of them, bundles are made. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Half, halfOf } from '../half.ts';
import { unpackDebian } from '../systems/debian-packages.ts';
import { unpackPypi } from '../systems/pypi-archives.ts';

export interface SplitSource {
  name: string;
  /** Documents of the same maker look alike. */
  maker: string;
  path: string;
}

type Origin = { maker: string; half: Half | 'both'; files: string } & ({ debian: string } | { pypi: string });

const ORIGINS: readonly Origin[] = [
  { debian: 'r-doc-pdf', maker: 'R', half: 'development', files: 'usr/share/R/doc/manual/R-*.pdf' },
  { debian: 'octave-doc', maker: 'Octave', half: 'development', files: 'usr/share/doc/octave/*.pdf' },
  { debian: 'gnuplot-doc', maker: 'gnuplot', half: 'development', files: 'usr/share/doc/gnuplot/*.pdf' },
  { debian: 'debian-faq', maker: 'DocBook', half: 'development', files: 'usr/share/doc/debian/FAQ/*.pdf' },
  { debian: 'gpsbabel-doc', maker: 'GPSBabel', half: 'development', files: 'usr/share/doc/gpsbabel/*.pdf' },
  {
    debian: 'developers-reference',
    maker: 'Sphinx',
    half: 'held-out',
    files: 'usr/share/developers-reference/*.pdf',
  },
  { debian: 'maint-guide-fr', maker: 'XeTeX', half: 'held-out', files: 'usr/share/doc/maint-guide-fr/*.pdf' },
  {
    debian: 'debian-edu-doc-de',
    maker: 'Debian Edu',
    half: 'held-out',
    files: 'usr/share/doc/debian-edu-doc-de/*.pdf',
  },
  {
    debian: 'lilypond-doc-pdf-fr',
    maker: 'LilyPond',
    half: 'held-out',
    files: 'usr/share/doc/lilypond/html/Documentation/*.pdf',
  },
  { debian: 'libtasn1-doc', maker: 'Texinfo', half: 'held-out', files: 'usr/share/doc/libtasn1-doc/*.pdf' },
  { debian: 'gnubg-data', maker: 'gnubg', half: 'held-out', files: 'usr/share/doc/gnubg/*.pdf' },
  { debian: 'enfuse', maker: 'Enfuse', half: 'held-out', files: 'usr/share/doc/enfuse/*.pdf' },
  {
    debian: 'gutenprint-doc',
    maker: 'Gutenprint',
    half: 'held-out',
    files: 'usr/share/doc/gutenprint-doc/*.pdf',
  },
  {
    debian: 'shared-mime-info',
    maker: 'freedesktop',
    half: 'held-out',
    files: 'usr/share/doc/shared-mime-info/*.pdf',
  },
  { pypi: 'invoice2data==0.3.6', maker: 'invoices', half: 'both', files: '*/tests/compare/*.pdf' },
  { pypi: 'rst2pdf==0.105', maker: 'ReportLab', half: 'both', files: '*/tests/reference/*.pdf' },
  { pypi: 'factur-x==7.8', maker: 'Factur-X', half: 'held-out', files: '*/tests/fixtures/pdf/*.pdf' },
];

/**
 * The documents of one half. Those of origins that both halves share are divided by a hash of their names.
 *
 * @throws Error if apt, pip or an archive is not available
 */
export async function splitSources(half: Half): Promise<SplitSource[]> {
  const found: SplitSource[] = [];
  for (const origin of ORIGINS) {
    if (origin.half !== 'both' && origin.half !== half) continue;
    const root = await rootOf(origin);
    const paths = globSync(join(root, origin.files)).toSorted();
    for (const path of paths) {
      const name = basename(path, '.pdf');
      if (origin.half !== 'both' || halfOf(name) === half) found.push({ name, maker: origin.maker, path });
    }
  }
  return found;
}

const rootOf = (origin: Origin): Promise<string> =>
  'debian' in origin ? unpackDebian(origin.debian, [origin.debian]) : unpackPypi(origin.pypi);
