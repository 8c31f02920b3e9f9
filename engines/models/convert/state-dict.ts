/** Tensors of 32-bit floats by name. */
export type Tensors = ReadonlyMap<string, { shape: number[]; values: Float32Array<ArrayBuffer> }>;

/** What a pickle may build here: data alone. A global is a name, and is never looked up. */
type Value =
  | number
  | bigint
  | string
  | boolean
  | null
  | Value[]
  | Map<Value, Value>
  | Named
  | Called
  | Stored;
interface Named {
  global: string;
}
interface Called extends Named {
  args: Value[];
}
interface Stored {
  storage: Value[];
}

const DICTIONARY = 'collections.OrderedDict';
const REBUILD = 'torch._utils._rebuild_tensor_v2';
const BYTES: Readonly<Record<string, number>> = { 'torch.FloatStorage': 4, 'torch.LongStorage': 8 };

/**
 * Reads the floats of a state dict of PyTorch, in the format before 1.6: five pickles and the raw values. Of pickle's
 * operations it knows those that build data; nothing named in the file is imported or called.
 *
 * @throws Error for a file that holds anything else
 */
export function readStateDict(file: Buffer): Tensors {
  const pickles = new PickleReader(file);
  // The magic number, the version of the protocol and the machine.
  for (let skipped = 0; skipped < 3; skipped++) pickles.next();
  const tensors = mapOf(pickles.next());
  const keys = listOf(pickles.next());

  const types = new Map<Value, string>();
  for (const tensor of tensors.values()) {
    const [, type, key] = storageOf(tensor);
    types.set(key as Value, (type as Named).global);
  }
  let at = pickles.position;
  const storages = new Map<Value, Float32Array<ArrayBuffer>>();
  for (const key of keys) {
    const type = types.get(key) ?? '';
    const length = Number(file.readBigInt64LE(at));
    const bytes = length * (BYTES[type] ?? Number.NaN);
    if (!(at + 8 + bytes <= file.length)) throw new Error(`a storage of ${type} does not fit`);
    if (type === 'torch.FloatStorage')
      storages.set(key, new Float32Array(new Uint8Array(file.subarray(at + 8, at + 8 + bytes)).buffer));
    at += 8 + bytes;
  }

  const found = new Map<string, { shape: number[]; values: Float32Array<ArrayBuffer> }>();
  for (const [name, tensor] of tensors) {
    const values = storages.get(storageOf(tensor)[2] as Value);
    if (values === undefined) continue;
    const [, offset, shape, strides] = (tensor as Called).args;
    if (typeof name !== 'string') throw new Error(OTHER);
    found.set(name, gather(values, Number(offset), numbersOf(shape), numbersOf(strides)));
  }
  return found;
}

function storageOf(tensor: Value): Value[] {
  const { global, args } = tensor as Called;
  const [stored] = args;
  if (global !== REBUILD) throw new Error(`${global} is no tensor`);
  return (stored as Stored).storage;
}

function gather(values: Float32Array, offset: number, shape: number[], strides: number[]) {
  const size = shape.reduce((product, side) => product * side, 1);
  const gathered = Float32Array.from({ length: size }, (_, index) => {
    let rest = index;
    let at = offset;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const side = shape[axis] ?? 1;
      at += (rest % side) * (strides[axis] ?? 0);
      rest = Math.floor(rest / side);
    }
    return values[at] ?? Number.NaN;
  });
  return { shape, values: gathered };
}

function mapOf(value: Value): Map<Value, Value> {
  if (value instanceof Map) return value;
  throw new Error(OTHER);
}
function listOf(value: Value | undefined): Value[] {
  if (Array.isArray(value)) return value;
  throw new Error(OTHER);
}
const numbersOf = (value: Value | undefined): number[] => listOf(value).map(Number);
const OTHER = 'the pickle holds something else than a state dict';

/** A stack machine for the operations of pickle's protocol 2 that state dicts have. */
class PickleReader {
  readonly #bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): Value {
    const stack: Value[] = [];
    const marks: number[] = [];
    const memo = new Map<number, Value>();
    const pop = (): Value => {
      const value = stack.pop();
      if (value === undefined) throw new Error(OTHER);
      return value;
    };
    const sinceMark = () => stack.splice(marks.pop() ?? 0);
    const top = () => stack.at(-1);
    for (;;) {
      const operation = this.#byte();
      switch (operation) {
        case 0x80: // PROTO
          this.#byte();
          break;
        case 0x4b: // BININT1
          stack.push(this.#byte());
          break;
        case 0x4d: // BININT2
          stack.push(this.#bytes.readUInt16LE(this.#skip(2)));
          break;
        case 0x4a: // BININT
          stack.push(this.#bytes.readInt32LE(this.#skip(4)));
          break;
        case 0x8a: // LONG1
          stack.push(this.#long(this.#byte()));
          break;
        case 0x58: {
          // BINUNICODE
          const length = this.#bytes.readUInt32LE(this.#skip(4));
          const start = this.#skip(length);
          stack.push(this.#bytes.toString('utf8', start, start + length));
          break;
        }
        case 0x63: // GLOBAL
          stack.push({ global: `${this.#line()}.${this.#line()}` });
          break;
        case 0x7d: // EMPTY_DICT
          stack.push(new Map());
          break;
        case 0x5d: // EMPTY_LIST
        case 0x29: // EMPTY_TUPLE
          stack.push([]);
          break;
        case 0x28: // MARK
          marks.push(stack.length);
          break;
        case 0x71: // BINPUT
          memo.set(this.#byte(), top() ?? null);
          break;
        case 0x72: // LONG_BINPUT
          memo.set(this.#bytes.readUInt32LE(this.#skip(4)), top() ?? null);
          break;
        case 0x68: // BINGET
          stack.push(memo.get(this.#byte()) ?? null);
          break;
        case 0x6a: // LONG_BINGET
          stack.push(memo.get(this.#bytes.readUInt32LE(this.#skip(4))) ?? null);
          break;
        case 0x74: // TUPLE
          stack.push(sinceMark());
          break;
        case 0x85: // TUPLE1
        case 0x86: // TUPLE2
        case 0x87: // TUPLE3
          stack.push(stack.splice(-(operation - 0x84)));
          break;
        case 0x51: // BINPERSID
          stack.push({ storage: listOf(pop()) });
          break;
        case 0x52: {
          // REDUCE
          const args = listOf(pop());
          const { global } = pop() as Named;
          stack.push(global === DICTIONARY ? new Map() : { global, args });
          break;
        }
        case 0x88: // NEWTRUE
        case 0x89: // NEWFALSE
          stack.push(operation === 0x88);
          break;
        case 0x4e: // NONE
          stack.push(null);
          break;
        case 0x73: {
          // SETITEM
          const value = pop();
          const key = pop();
          mapOf(top() ?? null).set(key, value);
          break;
        }
        case 0x75: {
          // SETITEMS
          const items = sinceMark();
          const map = mapOf(top() ?? null);
          for (let at = 0; at < items.length; at += 2) map.set(items[at] ?? null, items[at + 1] ?? null);
          break;
        }
        case 0x61: {
          // APPEND
          const value = pop();
          listOf(top()).push(value);
          break;
        }
        case 0x65: {
          // APPENDS
          const items = sinceMark();
          listOf(top()).push(...items);
          break;
        }
        case 0x62: // BUILD: the attributes of a dictionary
          pop();
          break;
        case 0x2e: // STOP
          return pop();
        default:
          throw new Error(
            `the pickle has the operation 0x${operation.toString(16)}, which state dicts do not need`,
          );
      }
    }
  }

  /** @returns the position before */
  #skip(bytes: number): number {
    const before = this.position;
    this.position += bytes;
    return before;
  }

  #byte(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  #long(bytes: number): bigint {
    const start = this.#skip(bytes);
    let value = 0n;
    for (let at = start + bytes - 1; at >= start; at--)
      value = (value << 8n) | BigInt(this.#bytes.readUInt8(at));
    return value;
  }

  #line(): string {
    const end = this.#bytes.indexOf(10, this.position);
    if (end < 0) throw new Error('the pickle ends within a line');
    return this.#bytes.toString('latin1', this.#skip(end + 1 - this.position), end);
  }
}
