import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { colourTable } from '../colour/convert-colours.ts';
import { isSrgb, signalOf } from '../colour/signal.ts';
import { makeTemporaryFolder } from '../temporary-folders.ts';
import { VideoRefused } from './errors.ts';

/** The colours of a decoded frame, by the names that ffmpeg prints. */
export interface FrameColours {
  matrix: string;
  primaries: string;
  transfer: string;
  width: number;
  height: number;
}

/** Filters that turn a frame into a JPEG's colours, and the folder of the table that they read. */
export interface ColourFilters {
  filters: string;
  folder?: string;
}

/**
 * Prints the colours of each frame, which only the decoder knows: they are in the bitstream, the container or nowhere. Other
 * data beside the frame would be printed as well.
 */
export const SHOW_COLOURS = 'sidedata=mode=delete,showinfo=checksum=0';
const SIZE = /\] n: *\d.{0,200} s:(\d+)x(\d+)/g;
const COLOURS = /\] color_range:\S* color_space:(\S+) color_primaries:(\S+) color_trc:(\S+)/g;

/** The colours of the last frame in what ffmpeg has printed. */
export function coloursIn(log: string): FrameColours | undefined {
  const [, width, height] = [...log.matchAll(SIZE)].at(-1) ?? [];
  const [, matrix, primaries, transfer] = [...log.matchAll(COLOURS)].at(-1) ?? [];
  if (!matrix || !primaries || !transfer) return undefined;
  return { matrix, primaries, transfer, width: Number(width ?? 0), height: Number(height ?? 0) };
}

/** For work in which the matrix of the frames does not matter. */
export const ANY_MATRIX = 'setparams=colorspace=unknown';
/** The matrices that `scale` knows. */
const MATRICES = 'unknown gbr bt709 fcc bt470bg smpte170m smpte240m bt2020nc'.split(' ');
/** Players take frames without a matrix for BT.709 from this size on, for BT.601 below. */
const [HD_WIDTH, HD_HEIGHT] = [1280, 720];
/** The YCbCr of JPEG. */
const AS_JPEG = 'out_range=full:out_color_matrix=bt601,format=yuvj420p';

/**
 * @param colours undefined: those of a frame that needs only its matrix converted
 * @throws VideoRefused for colours that cannot be converted
 */
export async function colourFilters(
  colours: FrameColours | undefined,
  { width, height }: { width: number; height: number },
): Promise<ColourFilters> {
  const scale = `scale=${width}:${height}`;
  if (!colours) return { filters: `${scale}:${AS_JPEG}` };
  const { matrix, primaries, transfer } = colours;
  const signal = signalOf(primaries, transfer);
  if (!signal || !MATRICES.includes(matrix)) {
    const names = `${matrix}, ${primaries} and ${transfer}`;
    throw new VideoRefused(
      'VIDEO_CODEC_UNSUPPORTED',
      `the colours of the video (${names}) are not supported`,
    );
  }
  const isHd = colours.width >= HD_WIDTH || colours.height >= HD_HEIGHT;
  const input = matrix === 'unknown' && isHd ? ':in_color_matrix=bt709' : '';
  if (isSrgb(signal)) return { filters: `${scale}${input}:${AS_JPEG}` };
  const table = `${primaries}-${transfer}.cube`;
  const filters = `${scale}${input}:out_range=full,format=gbrp16,lut3d=${table},scale=${AS_JPEG}`;
  return { filters, folder: await folderWith(table, () => colourTable(signal)) };
}

let folder: string | undefined;
const written = new Map<string, Promise<void>>();

/** The folder of all tables, each of which is written once. */
async function folderWith(name: string, make: () => string): Promise<string> {
  folder ??= makeTemporaryFolder('colours');
  const writing = written.get(name) ?? writeFile(join(folder, name), make());
  written.set(name, writing);
  await writing;
  return folder;
}
