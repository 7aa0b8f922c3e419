// For src/tint/lang/wgsl/resolver/uniformity_test.cc of Dawn.
//
{% for line in about %}
// {{ line }}
{% endfor %}
{% for text in texts %}
TEST_F(UniformityAnalysisTest, {{ text.tint }}) {
{% if text.what %}
    // {{ text.what }}
{% endif %}
    std::string src = R"(
{{ text.wgsl }}
)";

    RunTest(src, {{ "true" if text.accepts else "false" }});
}
{% endfor %}
