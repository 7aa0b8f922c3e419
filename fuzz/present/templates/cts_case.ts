// For src/webgpu/shader/validation/uniformity/uniformity.spec.ts of the WebGPU CTS.
{% for text in texts %}
g.test('{{ text.cts }}')
  .desc(
    `
{% for line in about %}
{{ line|template }}
{% endfor %}
{% if text.what %}
This is {{ text.what|template }}.
{% endif %}
`
  )
  .fn(t => {
    const code = `
{{ text.wgsl|template }}
`;
    t.expectCompileResult({{ "true" if text.accepts else "false" }}, code);
  });
{% endfor %}
