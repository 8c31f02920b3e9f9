{{- /* The labels by which the pods of a component, or without one all pods, are found: (list $ "api") */ -}}
{{- define "darkroom.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- range rest . }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "darkroom.labels" -}}
{{- $root := index . 0 -}}
{{ include "darkroom.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
{{- end }}

{{- define "darkroom.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /*
  The settings of a container: (list $ OWN SLOTS). OWN wins over those of all processes; SLOTS are names whose value is
  the limit of CPUs, which Node.js does not read from every kernel.
*/ -}}
{{- define "darkroom.settings" -}}
{{- $root := index . 0 }}
{{- $ingress := $root.Values.ingress }}
{{- $settings := merge (dict) (index . 1) $root.Values.env }}
{{- if and $ingress.enabled (not (hasKey $settings "PUBLIC_BASE_URL")) }}
{{- $scheme := ternary "https" "http" (ne $ingress.tlsSecret "") }}
{{- $_ := set $settings "PUBLIC_BASE_URL" (printf "%s://%s" $scheme $ingress.host) }}
{{- end -}}
env:
  {{- range $name, $value := $settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- range index . 2 }}
  {{- if not (hasKey $settings .) }}
  - name: {{ . }}
    valueFrom:
      resourceFieldRef: { resource: limits.cpu, divisor: '1' }
  {{- end }}
  {{- end }}
{{- with concat (ternary (list (dict "secretRef" (dict "name" $root.Values.existingSecret))) list (ne $root.Values.existingSecret "")) $root.Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* What all pods have in common. */ -}}
{{- define "darkroom.pod" -}}
automountServiceAccountToken: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
# Variables for the services of the namespace, such as S3_PORT of a service `s3`, have the names of settings.
enableServiceLinks: false
# The first process of the pod removes the child processes that decoders leave behind, as `init` of Compose does.
shareProcessNamespace: true
securityContext:
  runAsNonRoot: true
  # `node` of the image.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      medium: Memory
      sizeLimit: 256Mi
  {{- with .Values.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* What all containers have in common. */ -}}
{{- define "darkroom.container" -}}
image: {{ include "darkroom.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- with .Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* A process whose event loop is blocked kills itself after 30 seconds, so the probe of liveness is not strict. */ -}}
{{- define "darkroom.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{- /* Replicas of one component on different nodes where there is room: (list $ "api") */ -}}
{{- define "darkroom.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "darkroom.selector" . | nindent 8 }}
{{- end }}

{{- /* One pod at a time is evicted: (list $ "api") */ -}}
{{- define "darkroom.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ (index . 0).Release.Name }}-{{ index . 1 }}
  labels:
    {{- include "darkroom.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "darkroom.selector" . | nindent 6 }}
{{- end }}
