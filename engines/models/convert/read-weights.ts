import { unzipSync } from 'fflate';

/** A tensor as it is stored. */
export interface Weight<Values = Float32Array> {
  shape: readonly number[];
  values: Values;
}

/** A weight by its name. @throws Error if there is none */
export function weightOf<Values>(weights: ReadonlyMap<string, Weight<Values>>, name: string): Weight<Values> {
  const found = weights.get(name);
  if (!found) throw new Error(`the model has no weights ${name}`);
  return found;
}

/** The floats of a file of safetensors: a header in JSON, then the values. Other types are left out. */
export function readSafetensors(bytes: Buffer): ReadonlyMap<string, Weight> {
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, start)) as Record<
    string,
    { dtype?: string; shape: number[]; data_offsets: [number, number] }
  >;
  return new Map(
    Object.entries(header)
      .filter(([, { dtype }]) => dtype === 'F32')
      .map(
        ([
          name,
          {
            shape,
            data_offsets: [from, to],
          },
        ]) => [name, { shape, values: new Float32Array(copy(bytes, start + from, start + to)) }],
      ),
  );
}

const NPY_TYPES = { '<f4': Float32Array, '|u1': Uint8Array } as const;

/** The arrays of a `.npz` file of NumPy, which is a zip of `.npy` files, of floats and bytes; others are left out. */
export function readNpz(bytes: Buffer): ReadonlyMap<string, Weight<Float32Array | Uint8Array>> {
  return new Map(
    Object.entries(unzipSync(bytes)).flatMap(([name, file]) => {
      const array = readNpy(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
      return array ? [[name.replace(/\.npy$/, ''), array] as const] : [];
    }),
  );
}

/** The header is a literal of Python: `{'descr': '<f4', 'fortran_order': False, 'shape': (512, 256), }`. */
function readNpy(file: Buffer): Weight<Float32Array | Uint8Array> | undefined {
  const start = 10 + file.readUInt16LE(8);
  const header = file.toString('latin1', 10, start);
  const type = /'descr': '([^']+)'/.exec(header)?.[1] ?? '';
  if (!(type in NPY_TYPES) || header.includes('True')) return undefined;
  const shape = [...(/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? '').matchAll(/\d+/g)].map(Number);
  return { shape, values: new NPY_TYPES[type as keyof typeof NPY_TYPES](copy(file, start, file.length)) };
}

/** In memory of its own, as typed arrays need their alignment. */
function copy(bytes: Buffer, from: number, to: number): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset + from, bytes.byteOffset + to) as ArrayBuffer;
}
