import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { TEXTS } from '../../texts.ts';
import { TextInput } from '../../ui/field.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.storage;

const required = z.string().min(1, TEXTS.errors.required);

/** What is asked about a bucket of an S3-compatible store, with the key to it. */
export const bucketFields = {
  bucket_name: required,
  region: required,
  endpoint: z.string(),
  access_key_id: required,
  secret_access_key: required,
};
export type BucketValues = { [Name in keyof typeof bucketFields]: string };

export const EMPTY_BUCKET: BucketValues = {
  bucket_name: '',
  region: 'us-east-1',
  endpoint: '',
  access_key_id: '',
  secret_access_key: '',
};

/** The fields of a bucket. @param isPublic whether it may be one that needs no key */
export function BucketInputs({
  form,
  isPublic = false,
}: {
  form: UseFormReturn<BucketValues, unknown, BucketValues>;
  isPublic?: boolean;
}) {
  const { errors } = form.formState;
  return (
    <>
      <TextInput label={texts.bucket} error={errors.bucket_name?.message} {...form.register('bucket_name')} />
      <TextInput label={texts.region} error={errors.region?.message} {...form.register('region')} />
      <TextInput
        label={texts.endpoint}
        optional
        type="url"
        hint={texts.endpointHint}
        error={errors.endpoint?.message}
        {...form.register('endpoint')}
      />
      <TextInput
        label={texts.accessKey}
        optional={isPublic}
        hint={isPublic && texts.noKey}
        autoComplete="off"
        error={errors.access_key_id?.message}
        {...form.register('access_key_id')}
      />
      <TextInput
        label={texts.secretKey}
        optional={isPublic}
        type="password"
        autoComplete="off"
        error={errors.secret_access_key?.message}
        {...form.register('secret_access_key')}
      />
    </>
  );
}
