/// One reader and one writer for each format of results.
///
/// Contract     What is written is read again with the same bits, as far as the format has it: MAT has neither segments nor modes, CSV and NPZ no
///              units and parameters. What is not known is not written. Numbers of a file are never guessed: what does not fit is an error that names the file and the place.
/// Checked by   tests/tables/formats_test.cpp
#pragma once

#include <string>
#include <string_view>

#include "saltus/result.hpp"
#include "saltus/result_table.hpp"

namespace saltus::api {

/// `name` of the file, for messages.
[[nodiscard]] Result<ResultTable> read_csv_table(const std::string& name, std::string_view bytes);
/// MATLAB's format 4 with the matrices Aclass, name, description, dataInfo, data_1, data_2 of Modelica tools, by rows or transposed
/// (binNormal, binTrans); written is binTrans. Numbers of the machines of today alone: IEEE, little endian.
[[nodiscard]] Result<ResultTable> read_mat_table(const std::string& name, std::string_view bytes);
/// A zip archive of arrays (time, segment, mode, mode_names, values, names), not compressed.
[[nodiscard]] Result<ResultTable> read_npz_table(const std::string& name, std::string_view bytes);

[[nodiscard]] Diagnostics write_csv_table(const ResultTable& table, const std::string& path);
[[nodiscard]] Diagnostics write_mat_table(const ResultTable& table, const std::string& path);
[[nodiscard]] Diagnostics write_npz_table(const ResultTable& table, const std::string& path);

[[nodiscard]] Unexpected<Diagnostics> wrong_file(const std::string& name, const std::string& message);

/// Places of columns that items (lists of names and patterns) mean, each once; what means none goes to `problems`.
[[nodiscard]] std::vector<std::size_t> columns_meant(const ResultTable& table,
                                                     const std::vector<std::string>& items,
                                                     Diagnostics& problems);

}  // namespace saltus::api
