import protobuf from 'protobufjs';

/** What a model says of itself; its graph is skipped. */
const { root } = protobuf.parse(`syntax = "proto2";
  message Model { repeated Entry metadata_props = 14; }
  message Entry { optional string key = 1; optional string value = 2; }`);
const MODEL = root.lookupType('Model');

/** A value of the metadata of an ONNX model. @throws Error if it has none of this name */
export function readMetadata(model: Uint8Array, name: string): string {
  const { metadataProps = [] } = MODEL.toObject(MODEL.decode(model)) as {
    metadataProps?: { key: string; value: string }[];
  };
  const value = metadataProps.find(({ key }) => key === name)?.value;
  if (value === undefined) throw new Error(`the model has no ${name} in its metadata`);
  return value;
}
